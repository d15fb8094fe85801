import type { Bytes } from './bytes.ts'

/** Bytes converted at once: more arguments than this overflow the stack. */
const pieceBytes = 8192

/** Encodes bytes in letters that need no escape in an address. */
export function toBase64url(bytes: Uint8Array): string {
  let letters = ''
  for (let at = 0; at < bytes.length; at += pieceBytes)
    letters += String.fromCharCode(...bytes.subarray(at, at + pieceBytes)) // bounded: pieceBytes
  return btoa(letters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

/** @returns `undefined` for a text that is not base64url */
export function fromBase64url(text: string): Bytes | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0))
}
