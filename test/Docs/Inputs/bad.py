x = 1
<<<<<<< HEAD
