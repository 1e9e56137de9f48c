// The entry of the standalone executable: loads dist/ and its compiled code from the executable itself.
// It loads no other file, because anyone who can write beside the executable could then run code as its user.
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
    // Like Node's own require, a second attempt must not get the incomplete module.
    modules.delete(name)
    throw error
  }
  return module.exports
}

load('./main.cjs')
