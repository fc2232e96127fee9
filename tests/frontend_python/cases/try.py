try:
    a()
except (A, B) as e:
    e
except C: pass
except: raise
else:
    b()
finally:
    c()
