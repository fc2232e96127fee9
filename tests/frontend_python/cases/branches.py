if a: x
elif b: y
elif c: z
else: w
if d: v
v = p if q else r if s else t
u = a and b and (c or not d)
