// The few programs beside orderctl that a session can use, and how its command lines are split.
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { damageFile } from '../without-triggers.ts'

/** `A=1 orderctl get x --json < in.txt | grep state`, split into its parts. */
export type Command = {
  /** The variables in front of the program. Undefined if `env -u` unsets one. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly words: readonly string[]
  /** The file of `< file`. */
  readonly input: string | undefined
  /** The file of `> file`. */
  readonly output: string | undefined
  /** Where standard error goes: `2>&1`, `2>/dev/null`. */
  readonly errors: 'shown' | 'piped' | 'dropped'
}

type Token = { readonly text: string; readonly isQuoted: boolean }

const tokenize = (line: string): Token[] =>
  [...line.replaceAll('\\\n', ' ').matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([token]) => ({
    text: token.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, one, two, three) => one ?? two ?? three ?? ''),
    isQuoted: /['"\\]/.test(token),
  }))

const readCommand = (tokens: readonly Token[]): Command => {
  const env: Record<string, string | undefined> = {}
  const words: string[] = []
  let [input, output]: (string | undefined)[] = []
  let errors: Command['errors'] = 'shown'
  const rest = [...tokens]
  for (let token = rest.shift(); token !== undefined; token = rest.shift()) {
    const { text, isQuoted } = token
    const [, name = '', value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? []
    if (words.length === 0 && name !== '') env[name] = value
    else if (words.length === 0 && text === 'env') continue
    else if (words.length === 0 && text === '-u') env[rest.shift()?.text ?? ''] = undefined
    else if (!isQuoted && text === '<') input = rest.shift()?.text
    else if (!isQuoted && text === '>') output = rest.shift()?.text
    else if (!isQuoted && text.startsWith('>')) output = text.slice(1)
    else if (text === '2>&1') errors = 'piped'
    else if (text === '2>/dev/null') errors = 'dropped'
    else words.push(text)
  }
  return { env, words, input, output, errors }
}

/** `for f in --all '--limit 1'; do orderctl list $f; done` is two turns. The body may have several commands. */
export const unrollLoop = (line: string): readonly (readonly string[])[] => {
  const [, name = '', values = '', body = ''] =
    /^for (\w+) in (.*?); +do +(.*); +done$/.exec(line.replaceAll('\\\n', ' ')) ?? []
  if (name === '') return [[line]]
  return tokenize(values).map(({ text }) =>
    body.split(/; +/).map((each) => each.replaceAll(`$${name}`, text)),
  )
}

/** The commands of a pipeline. */
export const parseLine = (line: string): readonly Command[] => {
  const commands: Token[][] = [[]]
  for (const token of tokenize(line)) {
    if (token.text === '|' && !token.isQuoted) commands.push([])
    else commands.at(-1)?.push(token)
  }
  return commands.map(readCommand)
}

export type Result = { readonly exit: number; readonly stdout: string; readonly stderr: string }

const linesOf = (text: string): string[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .filter((_, index) => text !== '' || index > 0)
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** The values at a path such as `.invoice.total`, `[0].state` or `.[].id`. */
const selectValues = (value: unknown, at: string): unknown[] => {
  let values = [value]
  for (const [, key, index] of at.matchAll(/\.?"?([\w-]+)"?|\[(\d*)\]/g)) {
    values = values.flatMap((each) => {
      const from = each as Record<string, unknown> | unknown[] | null | undefined
      if (key !== undefined) return [(from as Record<string, unknown> | undefined)?.[key]]
      return index === '' ? Object.values(from ?? {}) : [(from as unknown[])[Number(index)]]
    })
  }
  return values.map((each) => each ?? null)
}

/** One document, or one a line. */
const parseDocuments = (text: string): unknown[] => {
  try {
    return [JSON.parse(text)]
  } catch {
    return linesOf(text).map((line) => JSON.parse(line))
  }
}

/** `jq -c` for paths, joined by commas. One line for each document and, without `[]`, all paths of it. */
const jq = ([paths = '.']: readonly string[], input: string): string => {
  return textOf(
    parseDocuments(input).flatMap((document) => {
      const columns = paths.split(',').map((each) => selectValues(document, each.trim()))
      const rows = columns[0]?.map((_, row) => columns.map((column) => JSON.stringify(column[row])).join(' '))
      return rows ?? []
    }),
  )
}

const grep = (words: readonly string[], input: string): Result => {
  const flags = words.filter((word) => word.startsWith('-')).join('')
  const form = new RegExp(words.find((word) => !word.startsWith('-')) ?? '', flags.includes('o') ? 'g' : '')
  const lines = linesOf(input)
  const found = flags.includes('o')
    ? lines.flatMap((line) => [...line.matchAll(form)].map(([part]) => part))
    : lines.filter((line) => form.test(line) !== flags.includes('v'))
  const stdout = flags.includes('c') ? `${found.length}\n` : textOf(found)
  return { exit: 0, stdout, stderr: '' }
}

const describeFile = (file: string): string => {
  const stat = lstatSync(file)
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
  const kind = stat.isDirectory() ? '/' : stat.isSymbolicLink() ? '@' : ''
  return `${mode} ${path.basename(file)}${kind}`
}

const query = (file: string, sql: string): string => {
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: false })
  const [rows = []] = sql
    .split(/;\s*/)
    .map((statement) => database.prepare(statement).all())
    .toReversed()
  database.close()
  const cells = rows.map((row) => Object.values(row).map((each) => each ?? 'NULL'))
  return textOf(cells.map((row) => row.join('|')))
}

const programs: Record<
  string,
  (words: readonly string[], input: string, at: (name: string) => string) => string | Result
> = {
  cat: ([name = ''], input, at) => (name === '' ? input : readFileSync(at(name), 'utf8')),
  chmod: ([mode = '', name = ''], _, at) => {
    chmodSync(at(name), Number.parseInt(mode, 8))
    return ''
  },
  cmp: ([one = '', other = ''], _, at) =>
    readFileSync(at(one)).equals(readFileSync(at(other))) ? '' : `${one} and ${other} differ\n`,
  cp: ([from = '', to = ''], _, at) => {
    copyFileSync(at(from), at(to))
    return ''
  },
  echo: (words) => `${words.join(' ')}\n`,
  grep: (words, input) => grep(words, input),
  head: ([count = ''], input) => textOf(linesOf(input).slice(0, Number(count.slice(1)))),
  jq: (words, input) =>
    jq(
      words.filter((word) => word !== '-c'),
      input,
    ),
  // What `doctor` or `journal status` found, except for what is ok.
  problems: (_, input) => {
    const columns = ['name', 'status', 'detail', 'fix', 'advice'].map((each) => `.checks[].${each}`)
    return grep(['-v', '"ok"'], jq([columns.join(',')], input))
  },
  ls: ([name = '.'], _, at) => {
    const isFolder = statSync(at(name)).isDirectory()
    return textOf(
      (isFolder
        ? readdirSync(at(name))
            .sort()
            .map((each) => path.join(at(name), each))
        : [at(name)]
      ).map(describeFile),
    )
  },
  ln: (words, _, at) => {
    const [to = '', place = ''] = words.slice(-2).map(at)
    const link = words[0] === '-s' ? symlinkSync : linkSync
    link(to, place)
    return ''
  },
  mkdir: (words, _, at) => {
    mkdirSync(at(words.at(-1) ?? ''), { recursive: words[0] === '-p', mode: 0o700 })
    return ''
  },
  rm: ([name = ''], _, at) => {
    rmSync(at(name), { recursive: true, force: true })
    return ''
  },
  sort: (_, input) => textOf(linesOf(input).sort()),
  // Changes are made without the triggers and the checks of the tables.
  sqlite3: ([name = '', sql = ''], _, at) => {
    if (sql.startsWith('SELECT')) return query(at(name), sql)
    damageFile(at(name), sql)
    return ''
  },
  tail: ([count = ''], input) => textOf(linesOf(input).slice(Number(count))),
  touch: ([, time = '', name = ''], _, at) => {
    writeFileSync(at(name), '', { flag: 'a' })
    utimesSync(at(name), new Date(time), new Date(time))
    return ''
  },
  truncate: ([, size = '', name = ''], _, at) => {
    truncateSync(at(name), Number(size))
    return ''
  },
  tr: ([from = '', to = ''], input) => {
    if (from === '-d') return input.replaceAll(to, '')
    return from === 'A-Z' ? input.toLowerCase() : input.replaceAll(from, to)
  },
  uniq: (_, input) => textOf(linesOf(input).filter((line, index, all) => line !== all[index - 1])),
  xargs: (_, input) => `${linesOf(input).join(' ')}\n`,
  wc: ([flag], input) => `${flag === '-l' ? linesOf(input).length : input.length}\n`,
}

/** Runs one of the programs in this folder. */
export const runProgram = (words: readonly string[], input: string, folder: string): Result => {
  const [name = '', ...rest] = words
  const program = programs[name]
  if (program === undefined)
    throw new Error(
      `a session has no program '${name}'; it has orderctl, ${Object.keys(programs).join(', ')}`,
    )
  const ran = program(rest, input, (file) => path.resolve(folder, file))
  return typeof ran === 'string' ? { exit: 0, stdout: ran, stderr: '' } : ran
}

export const writeOutput = (folder: string, name: string, text: string): void => {
  if (name !== '/dev/null') writeFileSync(path.resolve(folder, name), text)
}
