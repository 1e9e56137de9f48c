// Functions that a start calls are put in parentheses: so V8 compiles them with the rest of their file, and Node keeps
// them compiled. All others it would keep as text, and compile anew at each start (3 ms of a `get`).
import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'
import { headLength, onStage, rehearse } from './rehearsal.ts'

/** By file, where each function ends that was called. */
type Called = Record<string, number[]>

const listCalled = async (folder: string): Promise<void> => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  rehearse(async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const called: Called = {}
    for (const { url, functions } of result) {
      const ranges = functions.map(({ ranges: [whole] }) => whole).filter((whole) => whole !== undefined)
      const ends = ranges.filter(({ count }) => count > 0).map(({ endOffset }) => endOffset - headLength)
      if (url.startsWith('./')) called[url] = ends
    }
    writeFileSync(path.join(folder, 'called.json'), JSON.stringify(called))
    session.disconnect()
  })
}

const inParentheses = (code: string, calledEnds: ReadonlySet<number>): string => {
  const marks: { readonly at: number; readonly mark: string }[] = []
  const mark = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    if (calledEnds.has(end)) marks.push({ at: start, mark: '(' }, { at: end, mark: ')' })
  }
  new Visitor({
    ArrowFunctionExpression: mark,
    // A method begins with its parameters, and cannot stand in parentheses.
    FunctionExpression: (node) => {
      if (code[node.start] !== '(') mark(node)
    },
  }).visit(parseSync('chunk.cjs', code).program)
  let text = ''
  let from = 0
  for (const { at, mark } of marks.toSorted((one, other) => one.at - other.at)) {
    text += code.slice(from, at) + mark
    from = at
  }
  return text + code.slice(from)
}

export const compileWhatIsCalled = (): void =>
  onStage(import.meta.filename, (folder) => {
    const called: Called = JSON.parse(readFileSync(path.join(folder, 'called.json'), 'utf8'))
    for (const [name, ends] of Object.entries(called)) {
      const file = path.join('dist', name)
      writeFileSync(file, inParentheses(readFileSync(file, 'utf8'), new Set(ends)))
    }
  })

const [mode, folder = ''] = process.argv.slice(2)
if (mode === '--rehearse') await listCalled(folder)
