print("twinrig 0.1.0")
