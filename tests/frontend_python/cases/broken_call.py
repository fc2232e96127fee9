def f(x):
    y = model(
    return y

def g(x):
    return model(x)
