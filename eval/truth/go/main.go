// Prints what go/types knows of the packages of a module: go run . FOLDER. Needs the Go toolchain only.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

type definition struct {
	ID        string `json:"id"`
	File      string `json:"file"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Qualified string `json:"qualified"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Line      int    `json:"line"`
	Required  bool   `json:"required"`
	Parent    string `json:"parent,omitempty"`
}

type reference struct {
	From string `json:"from,omitempty"`
	File string `json:"file"`
	To   string `json:"to"`
	Kind string `json:"kind"`
	Line int    `json:"line"`
}

type pair struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type dispatch struct {
	Declared     string `json:"declared"`
	Implementing string `json:"implementing"`
}

type unknown struct {
	From string `json:"from,omitempty"`
	File string `json:"file"`
	Name string `json:"name"`
}

type said struct {
	Files        []string     `json:"files"`
	Definitions  []definition `json:"definitions"`
	References   []reference  `json:"references"`
	Dependencies []pair       `json:"dependencies"`
	Inherits     []pair       `json:"inherits"`
	Dispatch     []dispatch   `json:"dispatch"`
	Unknown      []unknown    `json:"unknown"`
}

type listed struct {
	ImportPath   string
	Dir          string
	Export       string
	ForTest      string
	GoFiles      []string
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	Module       *struct{ Main bool }
}

type program struct {
	root    string
	fset    *token.FileSet
	said    said
	exports map[string]string
	ids     map[string]bool
	named   map[string]*types.Named
	seen    map[string]bool
}

func main() {
	root, err := filepath.EvalSymlinks(os.Args[1])
	check(err)
	root, err = filepath.Abs(root)
	check(err)
	p := &program{root: root, fset: token.NewFileSet(), exports: map[string]string{}, ids: map[string]bool{}, named: map[string]*types.Named{}, seen: map[string]bool{}}
	p.said = said{Files: []string{}, Definitions: []definition{}, References: []reference{}, Dependencies: []pair{}, Inherits: []pair{}, Dispatch: []dispatch{}, Unknown: []unknown{}}
	packages := p.list()
	for _, it := range packages {
		own := append(append([]string{}, it.GoFiles...), it.CgoFiles...)
		p.checkPackage(it.ImportPath, it.Dir, append(own, it.TestGoFiles...))
		p.checkPackage(it.ImportPath+"_test", it.Dir, it.XTestGoFiles)
	}
	p.interfaces()
	sort.Strings(p.said.Files)
	check(json.NewEncoder(os.Stdout).Encode(p.said))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// list gives the packages of the module and notes where the compiled interface of each dependency lies.
func (p *program) list() []listed {
	run := exec.Command("go", "list", "-e", "-export", "-deps", "-test", "-json=ImportPath,Dir,Export,ForTest,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module", "./...")
	run.Dir = p.root
	run.Stderr = io.Discard
	out, err := run.StdoutPipe()
	check(err)
	check(run.Start())
	var own []listed
	for decoder := json.NewDecoder(out); ; {
		var it listed
		if err := decoder.Decode(&it); err == io.EOF {
			break
		} else {
			check(err)
		}
		if it.ForTest != "" || strings.HasSuffix(it.ImportPath, ".test") {
			continue
		}
		if it.Export != "" {
			p.exports[it.ImportPath] = it.Export
		}
		if it.Module != nil && it.Module.Main {
			own = append(own, it)
		}
	}
	// packages that do not build are listed all the same
	_ = run.Wait()
	return own
}

func (p *program) path(pos token.Pos) (string, int) {
	at := p.fset.Position(pos)
	name, err := filepath.Rel(p.root, at.Filename)
	if err != nil || strings.HasPrefix(name, "..") {
		return "", 0
	}
	return filepath.ToSlash(name), at.Line
}

// id names an object the same from source and from a compiled interface: by file, line and name.
func (p *program) id(object types.Object) string {
	if object == nil || !object.Pos().IsValid() {
		return ""
	}
	file, line := p.path(object.Pos())
	if file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%s", file, line, object.Name())
}

func (p *program) checkPackage(path, dir string, names []string) {
	if len(names) == 0 {
		return
	}
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(p.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if file == nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		files = append(files, file)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		export, ok := p.exports[path]
		if !ok {
			return nil, fmt.Errorf("no compiled interface of %s", path)
		}
		return os.Open(export)
	}
	info := &types.Info{
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Types:      map[ast.Expr]types.TypeAndValue{},
	}
	config := types.Config{Importer: importer.ForCompiler(p.fset, "gc", lookup), Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check(path, p.fset, files, info)
	for _, file := range files {
		p.readFile(file, info)
	}
	if pkg != nil {
		p.types(pkg)
	}
}

func (p *program) readFile(file *ast.File, info *types.Info) {
	name, _ := p.path(file.Pos())
	if name == "" || p.seen[name] {
		return
	}
	p.seen[name] = true
	p.said.Files = append(p.said.Files, name)
	for _, declaration := range file.Decls {
		switch it := declaration.(type) {
		case *ast.FuncDecl:
			kind, parent, qualified := "function", "", it.Name.Name
			if it.Recv != nil {
				kind = "method"
				if object := receiver(info, it); object != nil {
					parent = p.id(object)
					qualified = object.Name() + "." + qualified
				}
			}
			id := p.define(info.Defs[it.Name], it.Name, kind, qualified, parent, declaration, it.Name.Name != "_")
			p.uses(it, name, id, info)
		case *ast.GenDecl:
			for _, spec := range it.Specs {
				p.spec(spec, it, name, info)
			}
		}
	}
}

func receiver(info *types.Info, it *ast.FuncDecl) types.Object {
	if len(it.Recv.List) == 0 {
		return nil
	}
	kind := it.Recv.List[0].Type
	for {
		switch at := kind.(type) {
		case *ast.StarExpr:
			kind = at.X
		case *ast.ParenExpr:
			kind = at.X
		case *ast.IndexExpr:
			kind = at.X
		case *ast.IndexListExpr:
			kind = at.X
		case *ast.Ident:
			return info.Uses[at]
		default:
			return nil
		}
	}
}

func (p *program) spec(spec ast.Spec, whole *ast.GenDecl, file string, info *types.Info) {
	switch it := spec.(type) {
	case *ast.TypeSpec:
		kind := "type"
		switch it.Type.(type) {
		case *ast.StructType:
			kind = "struct"
		case *ast.InterfaceType:
			kind = "interface"
		}
		var node ast.Node = it
		if !whole.Lparen.IsValid() {
			node = whole
		}
		id := p.define(info.Defs[it.Name], it.Name, kind, it.Name.Name, "", node, true)
		if fields, ok := it.Type.(*ast.StructType); ok {
			p.fields(fields.Fields, it.Name.Name, id, info, "field")
		}
		if methods, ok := it.Type.(*ast.InterfaceType); ok {
			p.fields(methods.Methods, it.Name.Name, id, info, "signature")
		}
		p.uses(it, file, id, info)
	case *ast.ValueSpec:
		for _, name := range it.Names {
			kind := "variable"
			if whole.Tok == token.CONST {
				kind = "const"
			}
			p.define(info.Defs[name], name, kind, name.Name, "", it, false)
		}
		p.uses(it, file, "", info)
	}
}

func (p *program) fields(list *ast.FieldList, owner, parent string, info *types.Info, kind string) {
	for _, field := range list.List {
		for _, name := range field.Names {
			p.define(info.Defs[name], name, kind, owner+"."+name.Name, parent, field, false)
		}
		if len(field.Names) > 0 {
			continue
		}
		// an embedded type is a base
		kind := field.Type
		if star, ok := kind.(*ast.StarExpr); ok {
			kind = star.X
		}
		if index, ok := kind.(*ast.IndexExpr); ok {
			kind = index.X
		}
		var name *ast.Ident
		switch it := kind.(type) {
		case *ast.Ident:
			name = it
		case *ast.SelectorExpr:
			name = it.Sel
		}
		if name != nil {
			if to := p.id(info.Uses[name]); to != "" {
				p.said.Inherits = append(p.said.Inherits, pair{parent, to})
			}
		}
	}
}

func (p *program) define(object types.Object, name *ast.Ident, kind, qualified, parent string, node ast.Node, required bool) string {
	file, line := p.path(name.Pos())
	id := fmt.Sprintf("%s:%d:%s", file, line, name.Name)
	_, start := p.path(node.Pos())
	_, end := p.path(node.End())
	p.ids[id] = true
	p.said.Definitions = append(p.said.Definitions, definition{id, file, kind, name.Name, qualified, start, end, line, required, parent})
	if named, ok := object.(*types.TypeName); ok {
		if it, ok := named.Type().(*types.Named); ok {
			p.named[id] = it
		}
	}
	return id
}

// uses notes what the names within a node refer to.
func (p *program) uses(node ast.Node, file, from string, info *types.Info) {
	called, made := map[*ast.Ident]bool{}, map[*ast.Ident]bool{}
	ast.Inspect(node, func(at ast.Node) bool {
		if literal, ok := at.(*ast.CompositeLit); ok {
			kind := literal.Type
			if index, ok := kind.(*ast.IndexExpr); ok {
				kind = index.X
			}
			switch it := kind.(type) {
			case *ast.Ident:
				made[it] = true
			case *ast.SelectorExpr:
				made[it.Sel] = true
			}
		}
		if call, ok := at.(*ast.CallExpr); ok {
			callee := call.Fun
			if paren, ok := callee.(*ast.ParenExpr); ok {
				callee = paren.X
			}
			if index, ok := callee.(*ast.IndexExpr); ok {
				callee = index.X
			}
			switch it := callee.(type) {
			case *ast.Ident:
				called[it] = true
			case *ast.SelectorExpr:
				called[it.Sel] = true
			}
		}
		return true
	})
	ast.Inspect(node, func(at ast.Node) bool {
		name, ok := at.(*ast.Ident)
		if !ok || name.Name == "_" {
			return true
		}
		object, used := info.Uses[name]
		if !used {
			if _, defined := info.Defs[name]; !defined {
				p.said.Unknown = append(p.said.Unknown, unknown{from, file, name.Name})
			}
			return true
		}
		if function, ok := object.(*types.Func); ok {
			object = function.Origin()
		}
		if variable, ok := object.(*types.Var); ok {
			object = variable.Origin()
		}
		to := p.id(object)
		if to == "" || to == from {
			return true
		}
		kind := "value"
		switch object.(type) {
		case *types.TypeName:
			kind = "type"
			if made[name] {
				kind = "new"
			}
		case *types.Func:
			if called[name] {
				kind = "call"
			}
		case *types.PkgName:
			return true
		}
		_, line := p.path(name.Pos())
		p.said.References = append(p.said.References, reference{from, file, to, kind, line})
		return true
	})
}

// types notes the named types of a checked package, so that types and interfaces can be compared.
func (p *program) types(pkg *types.Package) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		if object, ok := scope.Lookup(name).(*types.TypeName); ok && !object.IsAlias() {
			if named, ok := object.Type().(*types.Named); ok {
				if id := p.id(object); id != "" {
					p.named[id] = named
				}
			}
		}
	}
}

// interfaces notes which types satisfy which interfaces of the module, and by which methods.
func (p *program) interfaces() {
	ids := make([]string, 0, len(p.named))
	for id := range p.named {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, interfaceID := range ids {
		declared, ok := p.named[interfaceID].Underlying().(*types.Interface)
		if !ok || declared.NumMethods() == 0 || p.named[interfaceID].TypeParams().Len() > 0 {
			continue
		}
		for _, id := range ids {
			if id == interfaceID || p.named[id].TypeParams().Len() > 0 {
				continue
			}
			pointer := types.NewPointer(p.named[id])
			if !satisfies(p.named[id], pointer, declared) {
				continue
			}
			p.said.Inherits = append(p.said.Inherits, pair{id, interfaceID})
			set := types.NewMethodSet(pointer)
			for i := 0; i < declared.NumMethods(); i++ {
				method := declared.Method(i)
				for j := 0; j < set.Len(); j++ {
					own := set.At(j).Obj()
					if own.Name() != method.Name() {
						continue
					}
					if to := p.id(own); to != "" {
						p.said.Dispatch = append(p.said.Dispatch, dispatch{p.id(method), to})
					}
				}
			}
		}
	}
}

// satisfies compares by names and printed signatures, as packages read apart hold types of their own.
func satisfies(named *types.Named, pointer types.Type, declared *types.Interface) bool {
	if _, isInterface := named.Underlying().(*types.Interface); isInterface {
		return false
	}
	set := types.NewMethodSet(pointer)
	for i := 0; i < declared.NumMethods(); i++ {
		method := declared.Method(i)
		found := false
		for j := 0; j < set.Len() && !found; j++ {
			own := set.At(j).Obj()
			found = own.Name() == method.Name() && signature(own) == signature(method)
		}
		if !found {
			return false
		}
	}
	return true
}

func signature(object types.Object) string {
	it, ok := object.Type().(*types.Signature)
	if !ok {
		return ""
	}
	text := ""
	for _, tuple := range []*types.Tuple{it.Params(), it.Results()} {
		for i := 0; i < tuple.Len(); i++ {
			text += types.TypeString(tuple.At(i).Type(), nil) + ","
		}
		text += ";"
	}
	return text
}
