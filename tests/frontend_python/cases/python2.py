print "a", b
print >>f, c
exec code in d
try: pass
except A, e: raise E, e
