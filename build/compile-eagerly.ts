// Makes V8 compile all functions of a chunk with their file, so that the compile cache keeps them.
import type { Plugin } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'

/**
 * Puts function expressions in parentheses. V8 then compiles them with their file, and the compile cache keeps them.
 * It would compile all others again at each start. get --json 5 ms, list 4 ms.
 */
export const compileEagerly: Plugin = {
  name: 'compile-eagerly',
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = parenthesizeFunctions(chunk.code)
    }
  },
}

const parenthesizeFunctions = (code: string): string => {
  const inserts: { readonly at: number; readonly text: string }[] = []
  const mark = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    inserts.push({ at: start, text: '(' }, { at: end, text: ')' })
  }
  new Visitor({
    ArrowFunctionExpression: mark,
    // A method begins with its parameters and cannot be put in parentheses.
    FunctionExpression: (node) => code[node.start] !== '(' && mark(node),
  }).visit(parseSync('chunk.cjs', code).program)
  inserts.sort((one, other) => one.at - other.at)
  const pieces = inserts.map(({ at, text }, index) => code.slice(inserts[index - 1]?.at ?? 0, at) + text)
  return pieces.join('') + code.slice(inserts.at(-1)?.at ?? 0)
}
