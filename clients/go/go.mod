module fastjournal

go 1.19
