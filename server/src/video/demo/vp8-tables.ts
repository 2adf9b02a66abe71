/**
 * Fixed tables of the VP8 bit stream. The probabilities are 4 kinds of block x 8 bands x 3 contexts x 11 tree nodes,
 * one byte each in that order, in base64 since nobody reads a thousand numbers.
 */
const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

/** RFC 6386 §13.5: how likely each branch of the coefficient tree is on a key frame. */
export const coefficientProbabilities = bytesOf(
  'gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA/Yj+/+TbgICAgIC9gfL/49X/24CAgGp+4/zW0f//gICAAWL4/+zi//+AgIC1he7+' +
    '3er/moCAgE6GyvfGtP/bgICAAbn5//P/gICAgIC4lvf/7OCAgICAgE1u2P/s5oCAgICAAWX7//H/gICAgICqi/H87NH//4CAgCV0xPPk////' +
    'gICAAcz+//X/gICAgIDPoPr/7oCAgICAgGZn5//Tq4CAgICAAZj8//D/gICAgICxh/P/6uGAgICAgFCB0//C4ICAgICAAQH/gICAgICAgID2' +
    'Af+AgICAgICAgP+AgICAgICAgICAxiPt38G7oqCRmz6DLcbdrLDcnfzdAUQvktCVp92i/9+AAZXx/93g//+AgIC4jer93tz/x4CAgFFjtfKw' +
    'vvnK//+AAYHo/dbF8sT//4BjedL6ycb/yoCAgBdbo/Kqu/fS//+AAcj2/+r/gICAgIBtsvH/5/X//4CAgCyCyf3NwP//gICAAYTv+9vR/6WA' +
    'gIBeiOH72r7//4CAgBZkrvW6of/HgICAAbb5/+jrgICAgIB8j/H/4+qAgICAgCNNtfvB0//NgICAAZ33/+zn//+AgIB5jev/4eP//4CAgC1j' +
    'vPvD2f/ggICAAQH7/9X/gICAgIDLAfj//4CAgICAgIkBsf/g/4CAgICA/Qn4+8/Q/8CAgICvDeDzwbn5xv//gEkRq92hs+yn/+qAAV/3/dS3' +
    '//+AgIDvWvT609H//4CAgJtNw/i8w///gICAARjv+9rb/82AgIDJM9v/xLqAgICAgEUuvu/J2v/kgICAAb/7//+AgICAgIDfpfn/1f+AgICA' +
    'gI18+P//gICAgICAARD4//+AgICAgIC+JOb/7P+AgICAgJUB/4CAgICAgICAAeL/gICAgICAgID3wP+AgICAgICAgPCA/4CAgICAgICAAYb8' +
    '//+AgICAgIDVPvr//4CAgICAgDdd/4CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAyhjV67q/3KDwr/9+Jrboqbjk' +
    'rv+7gD0uituXsvCq/9iAAXDm+se/95///4CmbeT809f/roCAgCdNouistPWy//+AATTc9sbH+dz//4B8Sr/zt8H63f//gBhHgtuaqvO2//+A' +
    'Abbh+dvw/+CAgICVluL82M3/q4CAgBxsqvK3wv7f//+AAVHm/MzL/8CAgIB7ZtH3vMT/6YCAgBRfmfOkrf/LgICAAd74/9jVgICAgICor/b8' +
    '683//4CAgC901//T1P//gICAAXns/dTW//+AgICNVNX8ycr/24CAgCpQoPCiuf/NgICAAQH/gICAgICAgID0Af+AgICAgICAgO4B/4CAgICA' +
    'gICA',
);

/** RFC 6386 §13.4: how likely it is that each of the above stays as it is. */
export const updateProbabilities = bytesOf(
  '////////////////////////////////////////////sPb////////////f8fz///////////n9/f////////////T8///////////q/v7/' +
    '//////////3///////////////b+///////////v/f7///////////7//v////////////j+///////////7//7/////////////////////' +
    '//////3+///////////7/v7///////////7//v////////////79//7////////6//7//v////////7/////////////////////////////' +
    '////////////////////////////2f/////////////h/PH9///+/////+r68fr9//3+//////7////////////f/v7//////////+79/v7/' +
    '//////////j+///////////5/v////////////////////////////3////////////3/v////////////////////////////3+////////' +
    '///8//////////////////////////////7+///////////9//////////////////////////////79///////////6//////////////7/' +
    '////////////////////////////////////////////////////////uvv6///////////q+/T+//////////v78/3+//7///////3+////' +
    '///////s/f7///////////v9/f7+//////////7+///////////+/v7///////////////////////////7////////////+/v//////////' +
    '//7////////////////////////////+////////////////////////////////////////////////////////////////////////////' +
    '////////////////////////////////////////////////////////////////////////////////////+P/////////////6/vz+////' +
    '//////j++f3///////////39///////////2/f3///////////z++/7+//////////78///////////4/v3///////////3//v7/////////' +
    '//v+///////////1+/7///////////39/v////////////v9///////////8/f7////////////+//////////////z////////////5//7/' +
    '/////////////v/////////////9///////////6///////////////////////////////////////////+////////////////////////' +
    '////',
);

/** RFC 6386 §13.2, §13.3: the order in which coefficients are sent, and the band each place belongs to. */
export const zigzag = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15] as const;
export const bands = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7] as const;

/** RFC 6386 §13.2: least value and the odds of the extra bits of the six large-value categories. */
export const categories: readonly { base: number; odds: readonly number[] }[] = [
  { base: 5, odds: [159] },
  { base: 7, odds: [165, 145] },
  { base: 11, odds: [173, 148, 140] },
  { base: 19, odds: [176, 155, 140, 135] },
  { base: 35, odds: [180, 157, 141, 134, 130] },
  { base: 67, odds: [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129] },
];
