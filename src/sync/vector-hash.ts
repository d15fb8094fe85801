import type { VersionVector } from '../contract/entry.ts'
import { canonicalJson } from '../domain/canonical-json.ts'
import { sha256 } from '../domain/sha256.ts'

/** 16 hex digits that tell whether two devices know the same entries of a session. */
export function vectorHash(vector: VersionVector): string {
  return sha256([canonicalJson(vector)]).slice(0, 16)
}
