a = [1, 2.5, 3j, None, True, False, ..., ()]
b = {1: 2, **c, 3: 4}
d = {*e, 5}
