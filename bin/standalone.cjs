// Runs first in the standalone executable: loads dist/ out of the executable itself, with its compiled code.
// Beside itself it looks for nothing: whoever can put a file there must not have it run.
const { getAsset, getRawAsset } = process.getBuiltinModule('node:sea')
const { Script } = process.getBuiltinModule('node:vm')

const modules = new Map()

const load = (name) => {
  if (!name.startsWith('./')) return process.getBuiltinModule(name)
  const known = modules.get(name)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  modules.set(name, module)
  const cachedData = new Uint8Array(getRawAsset(`${name}.cache`))
  const script = new Script(getAsset(name, 'utf8'), { filename: name, cachedData })
  try {
    script.runInThisContext()(module.exports, load, module)
  } catch (error) {
    // Half of it is not handed out, as Node's own require does not.
    modules.delete(name)
    throw error
  }
  return module.exports
}

load('./main.cjs')
