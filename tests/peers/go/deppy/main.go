// Command deppy-bench runs deppy on problems and reports the time that each takes.
//
// It reads problems. Each is a JSON array of variables, in which only the id is required:
//
//	[{"id": "a", "mandatory": true, "dependencies": [["b.v2", "b.v1"]]},
//	 {"id": "b.v2"}, {"id": "b.v1"}, {"id": "b", "atMostOne": [["b.v2", "b.v1"]]}]
//
// It answers each with a line as soon as it is solved: the nanoseconds, and the number of selected
// variables or "unsat". The clock runs only while deppy solves variables that are in memory. It
// excludes the time for reading them and for collecting the garbage of the previous problem.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/operator-framework/deppy/pkg/deppy"
	"github.com/operator-framework/deppy/pkg/deppy/constraint"
	simple "github.com/operator-framework/deppy/pkg/deppy/input"
	"github.com/operator-framework/deppy/pkg/deppy/solver"
)

type variable struct {
	ID           deppy.Identifier     `json:"id"`
	Mandatory    bool                 `json:"mandatory"`
	Dependencies [][]deppy.Identifier `json:"dependencies"`
	AtMostOne    [][]deppy.Identifier `json:"atMostOne"`
}

func main() {
	if err := run(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "deppy-bench:", err)
		os.Exit(1)
	}
}

func run(problems io.Reader) error {
	for decoder := json.NewDecoder(problems); ; {
		var problem []variable
		switch err := decoder.Decode(&problem); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read a problem: %w", err)
		}
		if err := solve(input(problem)); err != nil {
			return fmt.Errorf("solve a problem: %w", err)
		}
	}
}

func input(problem []variable) []deppy.Variable {
	variables := make([]deppy.Variable, len(problem))
	for at, variable := range problem {
		variables[at] = variable.simple()
	}
	return variables
}

func (v variable) simple() *simple.SimpleVariable {
	variable := simple.NewSimpleVariable(v.ID)
	if v.Mandatory {
		variable.AddConstraint(constraint.Mandatory())
	}
	for _, candidates := range v.Dependencies {
		variable.AddConstraint(constraint.Dependency(candidates...))
	}
	for _, rivals := range v.AtMostOne {
		variable.AddConstraint(constraint.AtMost(1, rivals...))
	}
	return variable
}

func solve(variables []deppy.Variable) error {
	runtime.GC()
	begun := time.Now()
	peer, err := solver.New()
	if err != nil {
		return err
	}
	selected, err := peer.Solve(variables)
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
