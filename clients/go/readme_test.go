package fastjournal

import (
	"os"
	"strings"
	"testing"
)

func TestTheReadmeHasTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	ok(t, err)
	example, err := os.ReadFile("example/main.go")
	ok(t, err)
	if !strings.Contains(string(readme), "```go\n"+string(example)+"```\n") {
		t.Error("README.md has another program than example/main.go")
	}
}
