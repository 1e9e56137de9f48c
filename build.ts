// How src/ becomes dist/: CommonJS in chunks, each loaded when a command first needs it. Not ES modules: their
// import of a module of Node reads every export of it, getters and all, and so loads half of Node (12 ms).
import { build, type Plugin } from 'rolldown'

/** commander runs subcommands that are programs; there are none here, and to load what runs them takes 3 ms. */
const noPrograms: Plugin = {
  name: 'no-programs',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('/commander/') ? '\0no-programs' : null,
  load: (id) => (id === '\0no-programs' ? 'export default {}' : null),
}

await build({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [noPrograms],
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
