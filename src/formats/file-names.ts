import { hash53 } from '../domain/hash53.ts'
import { utf8Length } from '../domain/utf8.ts'

/** The maximum number of bytes of a name without its ending, so that every file system accepts it. */
const nameBytes = 200

type SessionFileKind = 'log' | 'meta' | 'legacy'

/**
 * A file of a PicoClaw directory: files of one session have one stem (its directory and the name without the ending).
 */
export interface SessionFileName {
  readonly kind: SessionFileKind
  readonly stem: string
  /** The stem without its directory: the key, if it is not given elsewhere. */
  readonly name: string
}

const endings = [
  ['.meta.json', 'meta'],
  ['.jsonl', 'log'],
  ['.json', 'legacy'],
] as const

/**
 * Recognises the path of a file in a PicoClaw directory; `undefined` for other files. Files that archivers of macOS add
 * are ignored.
 */
export function parseSessionFile(path: string): SessionFileName | undefined {
  const found = endings.find(([ending]) => path.endsWith(ending))
  if (found === undefined) return undefined
  const stem = path.slice(0, -found[0].length)
  const name = stem.slice(stem.lastIndexOf('/') + 1)
  return name === '' || name.startsWith('._') || path.startsWith('__MACOSX/')
    ? undefined
    : { kind: found[1], stem, name }
}

/**
 * The name of a session's files. It is not reversible: `a:b`, `a/b` and `a_b` have the same name. Source: PicoClaw,
 * `sanitizeKey`
 */
export function sanitiseKey(key: string): string {
  return key.replace(/[:/\\]/g, '_')
}

/**
 * Makes a function that gives each key a unique name. The first key with a name gets PicoClaw's name. Later ones, and
 * keys that can't be file names, get a name with a hash of the key appended. Names that differ only in case or Unicode
 * form count as equal, as in some file systems.
 */
export function createFileNamer(): (key: string) => string {
  const taken = new Set<string>()
  return (key) => {
    const plain = sanitiseKey(key)
    const isName =
      !/^\.{0,2}$/.test(plain) && !/[\0-\x1f]/.test(plain) && !plain.startsWith('._') && utf8Length(plain) <= nameBytes
    const stem = isName ? plain : cut(plain.replace(/[\0-\x1f]/g, '_'))
    for (let n = 0; ; n++) {
      const name = n === 0 && isName ? plain : `${stem}~${hash53(`${key}${n > 1 ? ` ${n}` : ''}`).toString(36)}`
      const folded = name.normalize().toLowerCase()
      if (taken.has(folded)) continue
      taken.add(folded)
      return name
    }
  }
}

function cut(name: string): string {
  let text = ''
  for (const character of name) {
    if (utf8Length(text) + utf8Length(character) > nameBytes) break
    text += character
  }
  return text === '' || /^\./.test(text) ? `session${text.replace(/^\.+/, '')}` : text
}
