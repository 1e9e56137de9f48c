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

export type BuildOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs the build, in front of its own words. */
  readonly under?: readonly string[]
}

/** Builds dist/ and standalone/orderctl. */
export const buildStandalone = async (root: string, { env = {}, under = [] }: BuildOptions = {}) => {
  for (const script of ['build/bundle.ts', 'build/standalone.ts']) {
    const [file = '', ...rest] = [...under, process.execPath, script]
    await execa(file, rest, { cwd: root, env })
  }
  return path.join(root, 'standalone/orderctl')
}

/** Writes the package for npm and the one for Debian, which is not compressed, to the folder. */
export const writePackages = async (root: string, { env = {}, under = [] }: BuildOptions = {}) => {
  const script = `
    import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
    import { writeManPages } from './build/man.ts'
    import { writeDebianPackage } from './build/release/debian.ts'
    import { readDetails } from './build/release/details.ts'
    import { createNpmPackage } from './build/release/npm-package.ts'
    const details = readDetails()
    mkdirSync('made')
    await writeManPages('made/man', '2026-09-21')
    writeFileSync('orderctl.tgz', createNpmPackage('made', details.date))
    const licenses = readFileSync('dist/THIRD_PARTY_LICENSES', 'utf8')
    const from = { executable: 'standalone/orderctl', licenses, folder: 'made' }
    writeDebianPackage(details, { ...from, output: 'orderctl.deb', compression: 'none' })
  `
  const [file = '', ...rest] = [...under, process.execPath, '--input-type=module', '--eval', script]
  await execa(file, rest, { cwd: root, env })
}
