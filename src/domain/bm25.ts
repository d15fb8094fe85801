/** Robertson's usual constants: how soon repetitions add nothing, and how much long texts are penalised. */
const saturation = 1.2
const lengthWeight = 0.75

/** How much a term says about a document, given the number of documents that have it. */
export const rarityOf = (having: number, documents: number): number =>
  Math.log(1 + (documents - having + 0.5) / (having + 0.5))

/** The penalty for a document of this length. */
export const lengthNorm = (length: number, averageLength: number): number =>
  saturation * (1 - lengthWeight + (lengthWeight * length) / averageLength)

/** The score of a document for having a term this often (Okapi BM25). */
export const termScore = (rarity: number, frequency: number, norm: number): number =>
  (rarity * frequency * (saturation + 1)) / (frequency + norm)
