/** A number as it stands in the tables: `10,000`. */
export const count = (n: number): string => n.toLocaleString('en-US')
