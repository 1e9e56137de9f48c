// The package for Debian and Ubuntu: the standalone file, completions, manual pages and licenses.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Author, Details } from './details.ts'
import { gzip } from './tar.ts'

const architectures: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

export const debianArchitectureOf = ({ target }: Details): string | undefined => architectures[target]

const lintianOverrides = `# The executable contains Node, which contains libraries that Debian has as packages.
orderctl: embedded-library *
`

const describeCopyright = (): string =>
  `${readFileSync('LICENSE', 'utf8').trim()}

The executable contains Node and other software. Their licenses are in
/usr/share/doc/orderctl/THIRD_PARTY_LICENSES.gz. "orderctl --licenses" prints
them, too.
`

const describeChange = ({ name, version, date }: Details, maintainer: string): string =>
  `${name} (${version}-1) unstable; urgency=medium\n\n  * Version ${version}. changelog.gz lists its changes.\n\n -- ${maintainer}  ${formatDate(date)}\n`

/** RFC 5322, in UTC. */
const formatDate = (date: number): string => new Date(date * 1000).toUTCString().replace('GMT', '+0000')

/** The libraries that Node 26 for Linux needs, in the versions that it needs. */
const dependencies = 'libatomic1, libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 5)'

const describeControl = (details: Details, maintainer: string, kilobytes: number): string =>
  [
    `Package: ${details.name}`,
    `Version: ${details.version}-1`,
    `Architecture: ${debianArchitectureOf(details)}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kilobytes}`,
    `Depends: ${dependencies}`,
    'Section: utils',
    'Priority: optional',
    `Description: ${details.description.replace(/^./, (first) => first.toLowerCase())}`,
    ' orderctl places, confirms and follows orders of an order service, keeps a',
    ' journal of them, and never buys twice. It includes a local copy of the',
    ' service, so that everything can be tried offline and without money.',
    '',
  ].join('\n')

type Files = Map<string, { readonly content: Buffer; readonly mode: number }>

const listFiles = (
  details: Details,
  executable: string,
  licenses: string,
  folder: string,
  by: string,
): Files => {
  const files: Files = new Map()
  const add = (name: string, content: string | Buffer, mode = 0o644): void => {
    files.set(name, { content: Buffer.from(content), mode })
  }
  const documents = 'usr/share/doc/orderctl'
  add('usr/bin/orderctl', readFileSync(executable), 0o755)
  const completions = 'usr/share/bash-completion/completions'
  add(`${completions}/orderctl`, readFileSync('completions/orderctl.bash'))
  add('usr/share/zsh/vendor-completions/_orderctl', readFileSync('completions/_orderctl'))
  add('usr/share/fish/vendor_completions.d/orderctl.fish', readFileSync('completions/orderctl.fish'))
  add(`${documents}/copyright`, describeCopyright())
  add(`${documents}/THIRD_PARTY_LICENSES.gz`, gzip(Buffer.from(licenses)))
  add(`${documents}/changelog.gz`, gzip(readFileSync('CHANGELOG.md')))
  add(`${documents}/changelog.Debian.gz`, gzip(Buffer.from(describeChange(details, by))))
  add('usr/share/lintian/overrides/orderctl', lintianOverrides)
  for (const page of globSync('man/*/*', { cwd: folder }))
    add(`usr/share/${page}.gz`, gzip(readFileSync(path.join(folder, page))))
  return files
}

const hashOf = (content: Buffer): string => createHash('md5').update(content).digest('hex')

export type DebianOptions = {
  readonly executable: string
  readonly licenses: string
  /** May contain `man`, the manual pages. */
  readonly folder: string
  readonly output: string
  readonly compression?: 'xz' | 'none'
}

/** Debian requires an address (Policy 3.3). RFC 2606 reserves `.invalid` for addresses that do not exist. */
const describeMaintainer = ({ name, email = 'no-address@orderctl.invalid' }: Author): string =>
  `${name} <${email}>`

/** Needs dpkg-deb. */
export const writeDebianPackage = (details: Details, options: DebianOptions): void => {
  const { executable, licenses, folder, output, compression = 'xz' } = options
  const maintainer = describeMaintainer(details.author)
  const root = path.join(folder, 'debian')
  const files = listFiles(details, executable, licenses, folder, maintainer)
  const sizes = [...files.values()].map(({ content }) => Math.ceil(content.length / 1024))
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0)
  const sums = [...files].map(([name, { content }]) => `${hashOf(content)}  ${name}\n`).sort()
  const control = describeControl(details, maintainer, kilobytes)
  files.set('DEBIAN/control', { content: Buffer.from(control), mode: 0o644 })
  files.set('DEBIAN/md5sums', { content: Buffer.from(sums.join('')), mode: 0o644 })
  const previous = process.umask(0o022)
  for (const [name, { content, mode }] of files) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), content, { mode })
  }
  process.umask(previous)
  // More than one thread could compress differently.
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(details.date), DPKG_DEB_THREADS_MAX: '1' }
  execFileSync('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', root, output], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
