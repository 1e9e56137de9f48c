// The checks of the installation: the versions of orderctl and Node, and where they are.
import type { Context } from '../../context.ts'
import { findPackageFolder } from '../../package-file.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { ok } from './check.ts'

export const checkInstallation = ({ version: own, node, platform }: Context): readonly Check[] => {
  const { version, program } = node
  const folder = findPackageFolder()
  return [
    ok('orderctl', folder === undefined ? `${own}, the single file ${program}` : `${own} in ${folder}`),
    ok('Node', folder === undefined ? `${version}, included` : `${version} in ${program}`),
    ok('System', platform),
  ]
}
