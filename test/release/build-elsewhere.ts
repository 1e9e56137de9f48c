// A build of the working tree in a folder of its own, so that the tests never change dist/ or standalone/.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'

/** Copies what git tracks and what it does not ignore. The packages are hard links, because the bundler follows links. */
export const copyWorkingTree = (root: string): string => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'])
  for (const name of listed
    .toString()
    .split('\0')
    .filter((each) => each !== '' && existsSync(each)))
    cpSync(name, path.join(root, name), { recursive: true })
  mkdirSync(root, { recursive: true })
  try {
    execFileSync('cp', ['-al', 'node_modules', root], { stdio: 'ignore' })
  } catch {
    execFileSync('cp', ['-a', 'node_modules', root])
  }
  return root
}

type BuildOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs the build, in front of its own words. */
  readonly under?: readonly string[]
}

const runScripts = async (
  root: string,
  scripts: readonly string[],
  { env = {}, under = [] }: BuildOptions,
) => {
  for (const script of scripts) {
    const [file = '', ...rest] = [...under, process.execPath, script]
    await execa(file, rest, { cwd: root, env })
  }
}

const standaloneScripts = ['build/bundle.ts', 'build/standalone.ts']

/** Builds dist/ and standalone/orderctl. */
export const buildStandalone = (root: string): Promise<void> => runScripts(root, standaloneScripts, {})

/** Also writes release/, as `npm run release` does. Returns it. */
export const writeRelease = async (root: string, options: BuildOptions): Promise<string> => {
  await runScripts(root, [...standaloneScripts, 'build/release/release.ts'], options)
  return path.join(root, 'release')
}
