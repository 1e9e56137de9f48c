// The package for npm: the files of a build, and a package.json without what only the repository needs.
import { globSync, readFileSync } from 'node:fs'
import type { Details } from './details.ts'
import { createTar, gzip, type TarEntry } from './tar.ts'

/** npm runs `prepare` of a package that is installed from git or a folder, which would need the source. */
const shippedFields = ['name', 'version', 'description', 'author', 'license', 'type', 'bin', 'engines']

const createPackageJson = (folder: string): string => {
  const all = JSON.parse(readFileSync('package.json', 'utf8'))
  const shipped = Object.fromEntries(shippedFields.map((field) => [field, all[field]]))
  const pages = globSync('man/*/*', { cwd: folder }).sort()
  return `${JSON.stringify(pages.length === 0 ? shipped : { ...shipped, man: pages }, undefined, 2)}\n`
}

/** `folder` may contain `man`, the manual pages. */
const listPackageFiles = (folder: string): TarEntry[] => {
  const read = (name: string, root = '.'): TarEntry => ({
    name: `package/${name}`,
    content: readFileSync(`${root}/${name}`),
    isExecutable: name.startsWith('bin/'),
  })
  const names = [
    ...['LICENSE', 'README.md', 'CHANGELOG.md', 'bin/orderctl.cjs', 'dist/THIRD_PARTY_LICENSES'],
    ...globSync(['dist/*.cjs', 'dist/inspector/*', 'dist/guides/*', 'completions/*']),
  ]
  const pages = globSync('man/*/*', { cwd: folder })
  const packageJson = Buffer.from(createPackageJson(folder))
  return [
    { name: 'package/package.json', content: packageJson, isExecutable: false },
    ...names.map((name) => read(name)),
    ...pages.map((name) => read(name, folder)),
  ]
}

export const nameNpmPackage = ({ name, version }: Details): string => `${name}-${version}.tgz`

export const createNpmPackage = (folder: string, date: number): Buffer =>
  gzip(createTar(listPackageFiles(folder), date))
