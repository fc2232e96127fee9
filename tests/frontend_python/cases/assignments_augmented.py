a += 1
b.c[d] -= e
f().g @= h
