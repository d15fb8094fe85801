import { Scalar, type ScalarTag, Schema } from 'yaml'

const tag = (name: string): string => `tag:yaml.org,2002:${name}`

/** The number without the `_` that Python allows between digits. */
const plain = (text: string): string => text.replaceAll('_', '')

/** A number such as `1:30:00`, which YAML 1.1 reads with base 60. */
function inSixties(text: string): number {
  const digits = plain(text).replace(/^[-+]/, '')
  const value = digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return text.startsWith('-') ? -value : value
}

function intOf(text: string): number {
  if (text.includes(':')) return inSixties(text)
  const digits = plain(text).replace(/^[-+]/, '')
  const value = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits)
  return text.startsWith('-') ? -value : value
}

function floatOf(text: string): number {
  if (/inf/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (/nan/i.test(text)) return Number.NaN
  return text.includes(':') ? inSixties(text) : Number(plain(text))
}

/** A number as YAML 1.1 requires it: with a dot if there is an exponent. */
function numberText(value: unknown): string {
  const text = String(value)
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text
}

const is =
  (type: string) =>
  (value: unknown): boolean =>
    typeof value === type

const tags: readonly ScalarTag[] = [
  {
    tag: tag('null'),
    default: true,
    test: /^(?:~|null|Null|NULL)?$/,
    identify: (value) => value === null,
    createNode: () => new Scalar(null),
    resolve: () => new Scalar(null),
    stringify: () => 'null',
  },
  {
    tag: tag('bool'),
    default: true,
    test: /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
    identify: is('boolean'),
    resolve: (text) => /^(?:y|t|on)/i.test(text),
    stringify: ({ value }) => String(value),
  },
  {
    tag: tag('int'),
    default: true,
    test: /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
    identify: is('number'),
    resolve: intOf,
    stringify: ({ value }) => numberText(value),
  },
  {
    tag: tag('float'),
    default: true,
    test: /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    resolve: floatOf,
  },
  // JSON has no times, so that they stay as they are written. `=` and `<<` have a meaning for Python only when they are
  // not quoted.
  {
    tag: tag('timestamp'),
    default: true,
    test: /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?|=|<<)$/,
    resolve: (text) => text,
  },
]

/**
 * The types of plain scalars by the rules of PyYAML (YAML 1.1, with its omissions), with which Agently writes and
 * reads. With the rules of YAML 1.2, its unquoted text `1e5` would be read as a number here, and our unquoted text `no`
 * would be read as `false` there.
 *
 * Source: PyYAML 6, resolver.py
 */
export const yamlSchema = new Schema({
  schema: 'failsafe',
  customTags: [...tags],
  // Also quotes text that YAML 1.2 would read as another type.
  compat: 'core',
  sortMapEntries: ({ key: a }, { key: b }) => (textOf(a) < textOf(b) ? -1 : 1),
})

const textOf = (key: unknown): string => String(key instanceof Scalar ? key.value : key)
