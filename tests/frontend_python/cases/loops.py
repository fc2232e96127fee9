for i, (a, *b) in enumerate(xs):
    if a: break
    continue
else:
    f()
while g(): pass
async for x in y: pass
