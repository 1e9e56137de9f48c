// Writes only the package for npm: `npx node build/release/pack.ts FOLDER`. It needs dist/, and prints the file's path.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { withManPages } from '../man.ts'
import { readDetails } from './details.ts'
import { createNpmPackage, nameNpmPackage } from './npm-package.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('error: the folder for the package is missing')
  process.exitCode = 2
} else {
  const details = readDetails()
  const file = path.join(folder, nameNpmPackage(details))
  await withManPages(details, (pages) => writeFileSync(file, createNpmPackage(pages, details.date)))
  console.log(file)
}
