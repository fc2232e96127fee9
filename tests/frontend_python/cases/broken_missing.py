x = a +
y = model(b)
if : c()
break
