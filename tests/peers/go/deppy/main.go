// Command deppy-bench has deppy solve a problem, and says how long that takes.
//
//	deppy-bench -times N FILE
//
// The file has a variable a line, as JSON:
//
//	{"id": "a.v1", "mandatory": true, "dependencies": [["b.v2", "b.v1"]], "atMostOne": [["a.v1", "a.v2"]]}
//
// All but the id may be left out. It prints a line a solve: its nanoseconds, and how many variables
// it selects or "unsat". The clock runs while deppy solves variables that are there already: not
// while the file is read, and not while garbage of the solve before is cleared away.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/operator-framework/deppy/pkg/deppy"
	"github.com/operator-framework/deppy/pkg/deppy/constraint"
	"github.com/operator-framework/deppy/pkg/deppy/input"
	"github.com/operator-framework/deppy/pkg/deppy/solver"
)

type line struct {
	ID           deppy.Identifier     `json:"id"`
	Mandatory    bool                 `json:"mandatory"`
	Dependencies [][]deppy.Identifier `json:"dependencies"`
	AtMostOne    [][]deppy.Identifier `json:"atMostOne"`
}

func main() {
	times := flag.Int("times", 1, "how often to solve it")
	flag.Parse()
	if err := run(flag.Arg(0), *times); err != nil {
		fmt.Fprintln(os.Stderr, "deppy-bench:", err)
		os.Exit(1)
	}
}

func run(path string, times int) error {
	variables, err := read(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	for range times {
		if err := solve(variables); err != nil {
			return fmt.Errorf("solve %s: %w", path, err)
		}
	}
	return nil
}

func read(path string) ([]deppy.Variable, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var variables []deppy.Variable
	for lines := json.NewDecoder(file); ; {
		var one line
		switch err := lines.Decode(&one); {
		case errors.Is(err, io.EOF):
			return variables, nil
		case err != nil:
			return nil, err
		}
		variables = append(variables, one.variable())
	}
}

func (l line) variable() deppy.Variable {
	variable := input.NewSimpleVariable(l.ID)
	if l.Mandatory {
		variable.AddConstraint(constraint.Mandatory())
	}
	for _, candidates := range l.Dependencies {
		variable.AddConstraint(constraint.Dependency(candidates...))
	}
	for _, rivals := range l.AtMostOne {
		variable.AddConstraint(constraint.AtMost(1, rivals...))
	}
	return variable
}

func solve(variables []deppy.Variable) error {
	runtime.GC()
	begun := time.Now()
	solver, err := solver.New()
	if err != nil {
		return err
	}
	selected, err := solver.Solve(variables)
	took := time.Since(begun)
	var refused deppy.NotSatisfiable
	switch {
	case errors.As(err, &refused):
		fmt.Println(took.Nanoseconds(), "unsat")
	case err != nil:
		return err
	default:
		fmt.Println(took.Nanoseconds(), len(selected))
	}
	return nil
}
