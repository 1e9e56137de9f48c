// orderctl --licenses: prints the licenses of the software that orderctl contains.
import type { Context } from '../../context.ts'
import { readPackageFile } from '../../package-file.ts'

export const printLicenses = ({ stdout }: Context): void => {
  stdout.write(readPackageFile('dist/THIRD_PARTY_LICENSES'))
}
