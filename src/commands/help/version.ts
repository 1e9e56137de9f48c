// orderctl --version --json: the versions of orderctl, of its journals and of Node, and how it was installed.
import type { Context } from '../../context.ts'
import { schema } from '../../journal/schema.ts'
import { sharedVersion } from '../../journal/shared/shared-schema.ts'
import { renderJson } from '../../ui/text/json.ts'
import { findInstallation } from './installation.ts'

export const printVersionDocument = ({ version, node, stdout }: Context): void => {
  const document = {
    version,
    schema: { sqlite: schema.steps.length, postgres: sharedVersion },
    node: node.version,
    installation: findInstallation(node.program),
  }
  stdout.write(renderJson(document, { reveal: true }))
}
