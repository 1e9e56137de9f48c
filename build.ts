// How src/ becomes dist/: CommonJS in chunks, each loaded when a command first needs it. Not ES modules: their
// import of a module of Node reads every export of it, getters and all, and so loads half of Node (12 ms).
import { build, type Plugin } from 'rolldown'

/** An import of all of a module of Node, without the copy of it that CommonJS would make for one of ES modules. */
const wholeBuiltins: Plugin = {
  name: 'whole-builtins',
  transform: (code, id) =>
    code.replaceAll(/^import (\w+) from ['"](node:[\w/]+)['"];?$/gm, (_, name, from) =>
      // commander runs subcommands that are programs; there are none here, and to load what runs them takes 3 ms.
      from === 'node:child_process' && id.includes('/commander/')
        ? `const ${name} = undefined`
        : `const ${name} = globalThis.process.getBuiltinModule('${from}')`,
    ),
}

await build({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [wholeBuiltins],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
    comments: false,
  },
})
