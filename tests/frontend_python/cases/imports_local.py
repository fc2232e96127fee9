def f():
    import a.b
    from c import d
    return a, d
