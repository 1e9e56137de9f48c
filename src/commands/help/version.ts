// orderctl --version --json and --licenses: the versions, how orderctl was installed, and the licenses of its software.
import { readFileSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { versions } from '../../journal/tables/list.ts'
import { findPackageFolder, readPackageFile } from '../../package-file.ts'
import { fieldsOf, readFields, renderJson } from '../../ui/text/result-fields.ts'

const schemaFields = fieldsOf({ sqlite: ['count', 'of a file'], postgres: ['count', 'of a shared journal'] })

const installationFields = fieldsOf({
  kind: ['text', 'npm, npx, checkout, debian or standalone'],
  path: ['text', 'the folder, or the single file'],
})

export const versionFields = fieldsOf({
  version: ['text', 'of orderctl'],
  schema: [schemaFields, "the versions of the journal's tables"],
  node: ['text', 'the version of Node'],
  installation: [installationFields, 'how orderctl was installed'],
})

export const printVersionDocument = ({ version, node, stdout }: Context): void => {
  const folder = findPackageFolder()
  const debianFiles = folder === undefined ? readDebianFiles() : ''
  const installation = judgeInstallation({ folder, program: node.program, debianFiles })
  const document = { version, schema: versions, node: node.version, installation }
  stdout.write(renderJson(readFields(versionFields, document)))
}

export const printLicenses = ({ stdout }: Context): void => {
  stdout.write(readPackageFile('dist/THIRD_PARTY_LICENSES'))
}

export type Installation = {
  /** `standalone` is the single file, and `checkout` a clone of the repository. */
  readonly kind: 'npm' | 'npx' | 'checkout' | 'debian' | 'standalone'
  /** The folder of the package, or the single file. */
  readonly path: string
}

/** `program` is the file of the running process, and `debianFiles` the files that dpkg installed, one per line. */
export const judgeInstallation = ({
  folder,
  program,
  debianFiles,
}: Record<'program' | 'debianFiles', string> & { readonly folder: string | undefined }): Installation => {
  if (folder === undefined) {
    const isOfDebian = debianFiles.split('\n').includes(program)
    return { kind: isOfDebian ? 'debian' : 'standalone', path: program }
  }
  const parents = folder.split(/[/\\]/)
  // npx installs into a folder of npm's cache.
  if (parents.includes('_npx')) return { kind: 'npx', path: folder }
  return { kind: parents.includes('node_modules') ? 'npm' : 'checkout', path: folder }
}

const readDebianFiles = (): string => {
  try {
    return readFileSync('/var/lib/dpkg/info/orderctl.list', 'utf8')
  } catch {
    return ''
  }
}
