/** Robertson's usual constants: how soon more of the same adds nothing, and how much long texts are held back. */
const saturation = 1.2
const lengthWeight = 0.75

/** How much a term tells about a document, when so many of all documents have it. */
export const rarityOf = (having: number, documents: number): number => Math.log(1 + (documents - having + 0.5) / (having + 0.5))

/** How much a document of this length is held back. */
export const lengthNorm = (length: number, averageLength: number): number => saturation * (1 - lengthWeight + (lengthWeight * length) / averageLength)

/** What a document scores for having a term so many times (Okapi BM25). */
export const termScore = (rarity: number, frequency: number, norm: number): number => (rarity * frequency * (saturation + 1)) / (frequency + norm)
