a = b + c * -d ** 2 ** e
f = g < h is not i not in j
k = not ~l
