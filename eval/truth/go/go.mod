module truth

go 1.21
