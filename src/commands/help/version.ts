// orderctl --version --json: the versions of orderctl, of its journals and of Node, and how it was installed.
import type { Context } from '../../context.ts'
import { versions } from '../../journal/tables/list.ts'
import { renderJson } from '../../ui/text/json.ts'
import { findInstallation } from './installation.ts'

export const printVersionDocument = ({ version, node, stdout }: Context): void => {
  const document = {
    version,
    schema: versions,
    node: node.version,
    installation: findInstallation(node.program),
  }
  stdout.write(renderJson(document, { reveal: true }))
}
