class C:
    size = 1
    area = size * 2
    def method(self):
        return size
