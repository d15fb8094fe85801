import type { BlockSum } from '../contract/sums.ts'

/** A block that a plan closes, in the lane of a branch. */
export interface ClosedBlock {
  readonly branch: string
  block: BlockSum
}

/** The change that one row makes in the block at its place. */
export interface BlockChange {
  readonly order: string
  readonly change: <Block extends BlockSum>(block: Block) => Block
}
