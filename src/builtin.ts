// Node modules that few commands need. Each takes milliseconds to load, so it is loaded when it is first used.

export const builtin = {
  childProcess: () => process.getBuiltinModule('node:child_process'),
  crypto: () => process.getBuiltinModule('node:crypto'),
  /** The user id of this process. Undefined on Windows. */
  effectiveUser: () => process.geteuid?.(),
  http: () => process.getBuiltinModule('node:http'),
  https: () => process.getBuiltinModule('node:https'),
  module: () => process.getBuiltinModule('node:module'),
  net: () => process.getBuiltinModule('node:net'),
  os: () => process.getBuiltinModule('node:os'),
  sea: () => process.getBuiltinModule('node:sea'),
  timers: () => process.getBuiltinModule('node:timers/promises'),
}
