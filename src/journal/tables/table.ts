// The words that describe the tables of the journal. Both databases are created from these descriptions.

export type DatabaseName = 'sqlite' | 'postgres'

type ColumnType = 'text' | 'amount' | 'integer' | 'count' | 'millionths' | 'time' | 'id'

type ColumnRules = {
  readonly type: ColumnType
  /** The only values, if they are a closed list. */
  readonly words?: readonly string[]
  /** How its JSON is read: as undefined if its form is wrong, and then as `damaged`. */
  readonly json?: { readonly read: (value: unknown) => unknown; readonly damaged: unknown }
  /** The table whose numbers it holds. */
  readonly references?: string
  /** What happens to this row when the row that it refers to is deleted. */
  readonly onDelete?: 'CASCADE' | 'RESTRICT' | undefined
  readonly isNotNull?: true
  /** SQL. */
  readonly default?: string | Readonly<Record<DatabaseName, string>>
  /** SQL: the database computes the value from other columns of the row and stores it. */
  readonly generatedAs?: string
  /** The only database with this column. */
  readonly only?: DatabaseName
}

export type Column<Given extends ColumnRules = ColumnRules> = Given & {
  readonly notNull: Column<Given & { readonly isNotNull: true }>
  readonly byDefault: (sql: NonNullable<ColumnRules['default']>) => Column<Given>
  readonly as: (sql: string) => Column<Given & { readonly generatedAs: string }>
  readonly in: (only: DatabaseName) => Column<Given & { readonly only: DatabaseName }>
}

// One object for all columns: each command that opens the journal defines some hundred.
const methods: ThisType<Column> & Pick<Column, 'notNull' | 'byDefault' | 'as' | 'in'> = {
  get notNull() {
    return defineColumn({ ...this, isNotNull: true })
  },
  byDefault(sql) {
    return defineColumn({ ...this, default: sql })
  },
  as(sql) {
    return defineColumn({ ...this, generatedAs: sql })
  },
  in(only) {
    return defineColumn({ ...this, only })
  },
}

const defineColumn = <Given extends ColumnRules>(facts: Given): Column<Given> =>
  ({ __proto__: methods, ...facts }) as unknown as Column<Given>

export const text = defineColumn({ type: 'text' })

/** A text in the JSON format, which is read as a value. */
export const jsonOf = <Value>(read: (value: unknown) => Value | undefined, damaged: Value) =>
  defineColumn({ type: 'text', json: { read, damaged } })

export const texts = jsonOf<readonly string[]>(
  (value) => (Array.isArray(value) ? value.map(String) : undefined),
  [],
)

/** A decimal that is not negative, written in full: no exponent, no superfluous zero or point, at most 60 characters. */
export const amount = defineColumn({ type: 'amount' })

export const integer = defineColumn({ type: 'integer' })

/** An integer from 0 on. */
export const count = defineColumn({ type: 'count' })

/** What counts against limits: see contract/money/decimal.ts. It is read as a bigint. */
export const millionths = defineColumn({ type: 'millionths' })

/** Milliseconds since 1970, up to the last moment that a Date can hold. */
export const time = defineColumn({ type: 'time' })

/** The primary key, which the database numbers. It uses no number twice, because a call in progress knows its order by it. */
export const id = defineColumn({ type: 'id' })

export const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  defineColumn({ type: 'text', words })

/** 0 or 1. */
export const flag = defineColumn({ type: 'integer', words: ['0', '1'] })

/** The number of a row in a different table. That row stays as long as this row. */
export const refersTo = (table: string, onDelete?: ColumnRules['onDelete']): Column =>
  defineColumn({ type: 'integer', references: table, onDelete })

/** The role that wrote the row, for people. The server fills it in, whatever the client sends. */
export const writtenBy = text.notNull.in('postgres')

/** SQL for PostgreSQL: the trigger of a table with `written_by`. */
export const signRows = (table: string, events = 'INSERT'): string =>
  `CREATE TRIGGER ${table}_sign BEFORE ${events} ON ${table} FOR EACH ROW EXECUTE FUNCTION sign_row()`

/**
 * SQL for PostgreSQL: the function of triggers that change the new row. A search_path excludes other schemas' types.
 */
export const changeRow = (name: string, ...statements: readonly string[]): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
     BEGIN
       ${[...statements, 'RETURN NEW'].join(';\n       ')};
     END $$`

export const isText = ({ type }: Pick<Column, 'type'>): boolean => type === 'text' || type === 'amount'

/** As parseDecimal. That module is not imported, because it would load big.js with every journal. */
export const maxAmountLength = 60

/** Whether the constraint of an amount accepts the value. */
export const isAmount = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= maxAmountLength && /^(0|[1-9]\d*)(\.\d+)?$/.test(value)

// SQLite has no regular expressions. length and GLOB end at a NUL, but instr finds it.
export const isDecimalSql: Readonly<Record<DatabaseName, (name: string) => string>> = {
  sqlite: (name) =>
    [
      ...[`${name} GLOB '[0-9]*'`, `${name} GLOB '*[0-9]'`, `${name} NOT GLOB '0[0-9]*'`],
      ...[`${name} NOT GLOB '*[^0-9.]*'`, `${name} NOT GLOB '*.*.*'`, `instr(${name}, char(0)) = 0`],
    ].join(' AND '),
  postgres: (name) => `${name} ~ '^(0|[1-9][0-9]*)([.][0-9]+)?$'`,
}

/** The last moment that a Date can hold. */
export const latestTime = 8.64e15

/** Whether the constraint of a time accepts the value. */
export const isTime = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= latestTime

type Index = {
  /** The columns, or expressions. */
  readonly on: string
  /** The condition of a partial index. SQLite uses it only for queries that repeat the condition. */
  readonly where?: string
  readonly isUnique?: true
  /** The only database with this index. */
  readonly only?: DatabaseName
}

/** A change of a row that a trigger refuses, in both databases: neither a defect nor a script can make it. */
export type Fixed = {
  /** The end of the message: cannot change … */
  readonly what: string
  /** Separated by commas. Default: all columns. */
  readonly columns?: string
  /** SQL: the changes from the row OLD to the row NEW that are refused. Default: every change. */
  readonly when?: string
  /** SQL, true for a change that is accepted all the same. It may read one table besides OLD and NEW. */
  readonly unless?: string
}

export type Table = {
  readonly name: string
  /** The only database with this table. */
  readonly only?: DatabaseName
  readonly columns: Readonly<Record<string, Column>>
  /** More columns, which only SQL reads: whether the condition is true. The database computes them. */
  readonly conditions?: Readonly<Record<string, string>>
  /** The columns of the primary key, if the table has no id. */
  readonly primaryKey?: readonly string[]
  readonly checks?: Readonly<Record<string, string>>
  readonly indexes?: Readonly<Record<string, Index>>
  /** By the names of their triggers. */
  readonly fixed?: Readonly<Record<string, Fixed>>
  /** Statements for PostgreSQL, run once all tables exist. */
  readonly triggers?: readonly string[]
  /** The same for SQLite. */
  readonly sqliteTriggers?: readonly string[]
  /** A team role's permissions on the table in PostgreSQL. */
  readonly grant: string
  /** The permissions of a role that may change limits, if they differ. */
  readonly grantToChangeLimits?: string
  /** Whether a reset of the sandbox deletes its account's rows. */
  readonly isReset?: true
}

/** Keeps the column names in the type. */
export const defineTable = <const Defined extends Table>(table: Defined): Defined => table

type ValueOf<Given> = Given extends { readonly json: { readonly damaged: infer Value } }
  ? Value
  : Given extends { readonly type: 'text'; readonly words: readonly (infer Word)[] }
    ? Word
    : Given extends { readonly type: 'text' | 'amount' }
      ? string
      : Given extends { readonly type: 'millionths' }
        ? bigint
        : number

type IsOptional<Given> = Given extends { readonly only: DatabaseName }
  ? true
  : Given extends { readonly type: 'id' } | { readonly isNotNull: true } | { readonly generatedAs: string }
    ? false
    : true

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

type ColumnsOf<Columns, Optional extends boolean> = {
  [Name in keyof Columns as IsOptional<Columns[Name]> extends Optional ? CamelCase<Name> : never]: ValueOf<
    Columns[Name]
  >
}

/** A row as fromRow reads it: in camel case, without the columns that are NULL. */
export type RowOf<Defined extends Table> = Readonly<
  ColumnsOf<Defined['columns'], false> & Partial<ColumnsOf<Defined['columns'], true>>
>
