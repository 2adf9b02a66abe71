const zhCN = {} as const;
export default zhCN;
export type Catalog = typeof zhCN;
