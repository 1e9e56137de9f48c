// Collects the licenses of the packages whose code the bundler put into dist/.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ruler = '='.repeat(80)

/** The names of the bundler's own modules begin with a null character. Other such modules are part of the build. */
const packageFolderOf = (moduleId: string): string | undefined =>
  moduleId.startsWith('\0rolldown/')
    ? path.resolve('node_modules/rolldown')
    : /^[^\0]*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(moduleId)?.[0]

/** The text of the license files, or else what package.json says. Throws if that is not enough. */
export const licenseOfPackage = (folder: string): string => {
  const { name, version, license, author, homepage } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  )
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim())
  const authorName = typeof author === 'string' ? author : author?.name
  if (texts.length === 0) {
    if (!license || !authorName)
      throw new Error(`${folder} has no license file, and its package.json lacks license or author`)
    texts.push(`License: ${license}\nAuthor: ${authorName}`)
  }
  const title = [`${name} ${version}`, license && `(${license})`].filter(Boolean).join(' ')
  return section(homepage ? `${title}\n${homepage}` : title, texts.join('\n\n'))
}

const section = (title: string, text: string): string => `${ruler}\n${title}\n${ruler}\n\n${text}\n`

const listFolders = (moduleIds: readonly string[]): string[] => [
  ...new Set(moduleIds.map(packageFolderOf).filter((folder) => folder !== undefined)),
]

export type BundledPackage = {
  readonly name: string
  readonly version: string
  readonly license?: string
  /** Its key in package-lock.json, for example `node_modules/chalk`. */
  readonly folder: string
  readonly dependencies: readonly string[]
}

/** The packages that these modules are from, by folder. Two versions of a package are two packages. */
export const listPackages = (moduleIds: readonly string[]): BundledPackage[] =>
  listFolders(moduleIds)
    .map((folder) => {
      const { name, version, license, dependencies } = JSON.parse(
        readFileSync(path.join(folder, 'package.json'), 'utf8'),
      )
      const key = path.relative('.', folder).replaceAll(path.sep, '/')
      return { name, version, license, folder: key, dependencies: Object.keys(dependencies ?? {}).sort() }
    })
    .sort((one, other) => (one.folder < other.folder ? -1 : 1))

export const licensesOf = (moduleIds: readonly string[]): string => {
  const licenses = listFolders(moduleIds).map(licenseOfPackage).sort()
  return ['orderctl contains code of these packages.\n', ...licenses].join('\n')
}

/** The license of the Node that runs this. The archives of nodejs.org and the npm package 'node' both contain it. */
const licenseOfNode = (): string => {
  const folder = path.dirname(process.execPath)
  const places = [folder, path.dirname(folder), ...globSync(path.join(folder, '../node_modules/node-*'))]
  const file = places.map((place) => path.join(place, 'LICENSE')).find((each) => existsSync(each))
  const text = file === undefined ? '' : readFileSync(file, 'utf8').trim()
  if (!text.startsWith('Node.js is licensed')) throw new Error(`no Node license beside ${process.execPath}`)
  return section(`Node.js ${process.version}`, text)
}

/** Of dist/, and of the Node that the standalone executable contains. */
export const readLicensesOfExecutable = (): string =>
  `${readFileSync('dist/THIRD_PARTY_LICENSES', 'utf8')}\n${licenseOfNode()}`
