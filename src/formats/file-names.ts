import { hash53 } from '../domain/hash53.ts'
import { utf8Length } from '../domain/utf8.ts'

/** Bytes of a name without its ending, so that every file system takes it. */
const nameBytes = 200

type SessionFileKind = 'log' | 'meta' | 'legacy'

/**
 * A file of a PicoClaw directory: files of one session have one stem (its directory and the name without the ending).
 */
export interface SessionFileName {
  readonly kind: SessionFileKind
  readonly stem: string
  /** The stem without its directory: the key, when nothing else says it. */
  readonly name: string
}

const endings = [
  ['.meta.json', 'meta'],
  ['.jsonl', 'log'],
  ['.json', 'legacy'],
] as const

/**
 * What a path is in a PicoClaw directory; `undefined` for anything else. Files that archivers of macOS add are left
 * alone.
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

/** The name of a session's files. One way: `a:b`, `a/b` and `a_b` have one name. Source: PicoClaw, `sanitizeKey` */
export function sanitiseKey(key: string): string {
  return key.replace(/[:/\\]/g, '_')
}

/**
 * Gives each key a name of its own. The first to ask gets PicoClaw's; who comes later, or has a key that is no file
 * name, gets one with a hash of the key behind it. Names that differ in case or Unicode form only count as equal, as
 * some file systems have it.
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
