a[0]
b[1:2, ::3, None]
c[i,]
d[*e]
