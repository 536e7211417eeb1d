/** What TypeScript's checker says about the names in one source file. */

import ts from 'typescript-checker'
import type { Role, Site, Target } from '#ingest/upgrade'

export interface Surroundings {
  /** The path of a source file relative to the root, '' when it is no file of the project. */
  pathOf: (file: ts.SourceFile) => string
  /** Whether what that file declares for all is meant for this one. */
  reaches: (from: ts.SourceFile) => boolean
}

const OUTSIDE: Target = { path: '', line: 0, name: '' }
/** A member that only stands for another value is followed this often. */
const MAX_STEPS = 5

export function sitesIn(file: ts.SourceFile, checker: ts.TypeChecker, around: Surroundings): Site[] {
  const sites: Site[] = []
  const add = (role: Role, at: ts.Node, name: string, targets: Target[], lineOf: ts.Node = at) => {
    if (targets.length === 0) return
    const { character } = file.getLineAndCharacterOfPosition(at.getStart(file))
    const { line } = file.getLineAndCharacterOfPosition(lineOf.getStart(file))
    sites.push({ line: line + 1, column: character, name, role, targets })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined)) {
      for (const { name, at } of importedNames(node))
        add('import', at, name, targetsOf(symbolAt(at, checker), checker, around, 'import', at), node)
      return
    }
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const role = roleOf(node)
      if (role === undefined) return
      const symbol = symbolAt(node, checker)
      if (symbol === undefined) {
        if (isFromOutside(node, checker)) add(role, node, node.text, [OUTSIDE])
        return
      }
      if (symbol.declarations?.some((it) => ts.getNameOfDeclaration(it) === node) && !isShorthand(node)) return
      const targets = targetsOf(symbol, checker, around, role, node)
      if (role === 'value' && targets.every((it) => it.path === '') && isMember(node)) return
      add(role, node, node.text, targets)
      return
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return sites
}

/** Names that an import or a re-export takes from a module, as that module knows them. */
function importedNames(node: ts.ImportDeclaration | ts.ExportDeclaration): { name: string; at: ts.Identifier }[] {
  const names: { name: string; at: ts.Identifier }[] = []
  const take = ({ propertyName, name }: ts.ImportOrExportSpecifier) => {
    if (ts.isIdentifier(name)) names.push({ name: (propertyName ?? name).text, at: name })
  }
  if (ts.isExportDeclaration(node)) {
    if (node.exportClause !== undefined && ts.isNamedExports(node.exportClause))
      node.exportClause.elements.forEach(take)
    return names
  }
  const { name, namedBindings } = node.importClause ?? {}
  if (name !== undefined) names.push({ name: 'default', at: name })
  if (namedBindings !== undefined && ts.isNamedImports(namedBindings)) namedBindings.elements.forEach(take)
  return names
}

/** How a name is used; undefined where it is no use of anything. */
function roleOf(node: ts.Identifier | ts.PrivateIdentifier): Role | undefined {
  const { parent } = node
  if (ts.isJsxClosingElement(parent) || ts.isJsxAttribute(parent) || ts.isMetaProperty(parent)) return undefined
  if (ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent)) return undefined
  let outer: ts.Node = isMember(node) ? parent : node
  while (ts.isNonNullExpression(outer.parent) || ts.isParenthesizedExpression(outer.parent)) outer = outer.parent
  const around = outer.parent
  if (ts.isCallExpression(around) || ts.isNewExpression(around)) {
    if (around.expression === outer) return ts.isDecorator(around.parent) ? 'value' : 'call'
  } else if (ts.isTaggedTemplateExpression(around) && around.tag === outer) return 'call'
  else if (ts.isJsxOpeningElement(around) || ts.isJsxSelfClosingElement(around)) {
    if (around.tagName === outer) return 'call'
  } else if (ts.isExpressionWithTypeArguments(around) && ts.isHeritageClause(around.parent)) return 'heritage'
  if (ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isExpressionWithTypeArguments(parent))
    return 'type'
  return 'value'
}

function isMember(node: ts.Node): boolean {
  const { parent } = node
  return ts.isPropertyAccessExpression(parent) && parent.name === node
}

function isShorthand(node: ts.Node): boolean {
  return ts.isShorthandPropertyAssignment(node.parent)
}

function symbolAt(node: ts.Node, checker: ts.TypeChecker): ts.Symbol | undefined {
  const { parent } = node
  if (ts.isShorthandPropertyAssignment(parent)) return checker.getShorthandAssignmentValueSymbol(parent)
  if (ts.isExportSpecifier(parent)) return checker.getExportSpecifierLocalTargetSymbol(parent)
  return checker.getSymbolAtLocation(node)
}

/** Whether a name without a meaning is of something that comes from a package that is not there. */
function isFromOutside(node: ts.Node, checker: ts.TypeChecker): boolean {
  let origin: ts.Node | undefined = isMember(node) ? node.parent : node
  for (let i = 0; i < MAX_STEPS && origin !== undefined; i++) {
    const root = rootOf(origin)
    const symbol = ts.isIdentifier(root) ? checker.getSymbolAtLocation(root) : undefined
    if (symbol === undefined) return false
    if (isMissing(symbol, checker)) return true
    origin = symbol.declarations?.length === 1 ? valueOf(symbol.declarations[0]) : undefined
  }
  return false
}

/** The name that a chain of members starts with. What a call gives back may be anything that it was handed. */
function rootOf(node: ts.Node): ts.Node {
  if (
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node)
  )
    return rootOf(node.expression)
  return node
}

/** What a variable is set to where it is declared, or what its pattern takes apart. */
function valueOf(declaration: ts.Node): ts.Node | undefined {
  if (ts.isVariableDeclaration(declaration)) return declaration.initializer
  return ts.isBindingElement(declaration) ? valueOf(declaration.parent.parent) : undefined
}

/** An import whose module was not found, and is no relative one. */
function isMissing(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  if ((symbol.flags & ts.SymbolFlags.Alias) === 0 || checker.getAliasedSymbol(symbol).declarations !== undefined)
    return false
  return (symbol.declarations ?? []).some((it) => /^[^./]/.test(moduleOf(it)))
}

/** The module that an import is from, as written. */
function moduleOf(declaration: ts.Node): string {
  for (let node = declaration; !ts.isSourceFile(node); node = node.parent) {
    const at =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isVariableDeclaration(node) && node.initializer !== undefined
          ? requiredIn(node.initializer)
          : undefined
    if (at !== undefined) return ts.isStringLiteral(at) ? at.text : ''
  }
  return ''
}

/** The argument of the `require` that an expression starts with. */
function requiredIn(value: ts.Expression): ts.Expression | undefined {
  const root = rootOf(value)
  return ts.isCallExpression(root) && ts.isIdentifier(root.expression) && root.expression.text === 'require'
    ? root.arguments[0]
    : undefined
}

function targetsOf(
  given: ts.Symbol | undefined,
  checker: ts.TypeChecker,
  around: Surroundings,
  role: Role,
  at: ts.Node,
): Target[] {
  if (given === undefined) return []
  if (isMissing(given, checker)) return [OUTSIDE]
  let symbol = resolved(given, checker)
  for (let i = 0; i < MAX_STEPS; i++) {
    const next = standIn(symbol, checker)
    if (next === undefined) break
    symbol = resolved(next, checker)
  }
  let declarations = meant(symbol.declarations ?? [], role)
  // what is declared for another package says nothing about this one
  if (declarations.some((it) => isGlobal(it) && !around.reaches(it.getSourceFile()))) return []
  if (role === 'call' && declarations.length > 1) declarations = taken(at, declarations, checker)
  const found = new Map<string, Target>()
  for (const it of declarations) {
    const target = targetOf(it, around)
    found.set(`${target.path} ${target.line} ${target.name}`, target)
  }
  return [...found.values()]
}

function resolved(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
}

/** What a member stands for that was written as `{ total }`, `{ total: sum }` or `exports.total = sum`. */
function standIn({ declarations }: ts.Symbol, checker: ts.TypeChecker): ts.Symbol | undefined {
  const only = declarations?.length === 1 ? declarations[0] : undefined
  if (only === undefined) return undefined
  if (ts.isShorthandPropertyAssignment(only)) return checker.getShorthandAssignmentValueSymbol(only)
  const value = ts.isPropertyAssignment(only)
    ? only.initializer
    : ts.isPropertyAccessExpression(only) && ts.isBinaryExpression(only.parent)
      ? only.parent.right
      : undefined
  return value !== undefined && ts.isIdentifier(value) ? checker.getSymbolAtLocation(value) : undefined
}

/** Of merged declarations those that a use of this kind means, without what other modules add to them. */
function meant(all: readonly ts.Declaration[], role: Role): readonly ts.Declaration[] {
  if (all.length < 2) return all
  const own = all.filter((it) => !isAdded(it))
  const declarations = own.length > 0 ? own : all
  const isTypeOnly = (it: ts.Declaration) => ts.isInterfaceDeclaration(it) || ts.isTypeAliasDeclaration(it)
  const isType = (it: ts.Declaration) => isTypeOnly(it) || ts.isClassLike(it) || ts.isEnumDeclaration(it)
  const fitting =
    role === 'type' || role === 'heritage'
      ? declarations.filter(isType)
      : role === 'import'
        ? declarations
        : declarations.filter((it) => !isTypeOnly(it) && !ts.isModuleDeclaration(it))
  return fitting.length > 0 ? fitting : declarations
}

/** Whether it is seen without an import, or stands in a module that is declared and not written. */
function isGlobal(declaration: ts.Declaration): boolean {
  const file = declaration.getSourceFile()
  return file.isDeclarationFile && !ts.isSourceFile(declaration) && !ts.isExternalModule(file)
}

/** Whether it stands in `declare module 'other' {}` or `declare global {}`. */
function isAdded({ parent }: ts.Declaration): boolean {
  if (parent === undefined || !ts.isModuleBlock(parent)) return false
  const { name, flags } = parent.parent
  return ts.isStringLiteral(name) || (flags & ts.NodeFlags.GlobalAugmentation) !== 0
}

function targetOf(declaration: ts.Declaration, around: Surroundings): Target {
  const file = declaration.getSourceFile()
  const path = around.pathOf(file)
  if (path === '') return OUTSIDE
  if (ts.isSourceFile(declaration)) return { path, line: 0, name: '' }
  const node = ts.getNameOfDeclaration(declaration)
  const { line } = file.getLineAndCharacterOfPosition((node ?? declaration).getStart(file))
  return { path, line: line + 1, name: nameOf(node) }
}

function nameOf(node: ts.DeclarationName | undefined): string {
  if (node === undefined) return 'default'
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteralLike(node)) return node.text
  // `Cart.prototype.total = …`
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  return node.getText()
}

/** Of several signatures in one place the one that a call takes. */
function taken(
  at: ts.Node,
  declarations: readonly ts.Declaration[],
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  if (declarations.some((it) => it.parent !== declarations[0].parent)) return declarations
  // a body stands for its signatures
  if (declarations.some((it) => ts.isFunctionLike(it) && 'body' in it && it.body !== undefined)) return declarations
  let call: ts.Node = at
  while (!ts.isCallLikeExpression(call)) {
    if (ts.isSourceFile(call)) return declarations
    call = call.parent
  }
  const chosen = checker.getResolvedSignature(call)?.declaration
  return chosen !== undefined && declarations.some((it) => it === chosen) ? [chosen] : declarations
}
