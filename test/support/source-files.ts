// Source files with their imports and syntax trees.
import path from 'node:path'
import { parseSync } from 'rolldown/utils'

export type Node = { readonly type: string; readonly [key: string]: unknown }

/** A node with its parent and its key there. */
type Visit = { readonly node: Node; readonly parent: Node; readonly key: string }

export type Import = {
  /** A path in the repository, the name of a package, or `?` if the path is computed at run time. */
  readonly from: string
  readonly isPackage: boolean
  /** Erased at run time. */
  readonly typeOnly: boolean
  /** Loaded by a call, not with the file. */
  readonly isLater: boolean
}

export type SourceFile = {
  readonly path: string
  readonly imports: readonly Import[]
  readonly statements: readonly Node[]
  readonly nodes: readonly Visit[]
}

export type Sources = readonly SourceFile[]

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const visit = (parent: Node, found: Visit[] = []): Visit[] => {
  for (const [key, value] of Object.entries(parent)) {
    for (const node of Array.isArray(value) ? value : [value]) {
      if (!isNode(node)) continue
      found.push({ node, parent, key })
      visit(node, found)
    }
  }
  return found
}

/** The node of the imported or required path. */
const sourceOf = (node: Node): Node | undefined => {
  const { type, callee } = node
  const isRequire =
    type === 'CallExpression' && isNode(callee) && (callee.name === 'require' || callee.name === 'load')
  const source = isRequire ? (node.arguments as Node[])[0] : node.source
  return isNode(source) && (isRequire || /^(Import|Export|TSImportType)/.test(type)) ? source : undefined
}

const importOf = (file: string, node: Node): Import[] => {
  const source = sourceOf(node)
  if (source === undefined) return []
  const specifier = typeof source.value === 'string' ? source.value : '?'
  const typeOnly = node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type'
  const isLater = node.type === 'ImportExpression' || node.type === 'CallExpression'
  if (!specifier.startsWith('.'))
    return [{ from: specifier, isPackage: specifier !== '?', typeOnly, isLater }]
  const target = path.posix.join(path.posix.dirname(file), specifier)
  // A path in dist/ counts as its source.
  return [{ from: target.replace(/^dist\/(.*)\.cjs$/, 'src/$1.ts'), isPackage: false, typeOnly, isLater }]
}

const sourceFile = (file: string, text: string): SourceFile => {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const root = program as unknown as Node & { readonly body: readonly Node[] }
  const nodes = visit(root)
  return {
    path: file,
    statements: root.body,
    nodes,
    imports: nodes.flatMap(({ node }) => importOf(file, node)),
  }
}

export const parseSources = (texts: Readonly<Record<string, string>>): Sources =>
  Object.entries(texts).map(([file, text]) => sourceFile(file, text))

/** Paths of imports from each file to the files for which `ends` returns true. */
export const findImportPaths = (
  sources: Sources,
  counts: (one: Import) => boolean,
  ends: (trail: readonly string[]) => boolean,
): string[][] => {
  const byPath = new Map(sources.map((file) => [file.path, file]))
  const follow = (trail: readonly string[], seen: Set<string>): string[][] =>
    (byPath.get(trail.at(-1) ?? '')?.imports ?? []).filter(counts).flatMap(({ from }) => {
      const longer = [...trail, from]
      if (ends(longer)) return [longer]
      if (seen.has(from)) return []
      seen.add(from)
      return follow(longer, seen)
    })
  return sources.flatMap((file) => follow([file.path], new Set([file.path])))
}
