# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Grouped bars by path. `plot` sets: data (the file), out (the SVG), columns, caption.
# A group per line of the data; per column of it a median, a minimum and a maximum in Gbit/s.
set terminal svg size 960,480 font 'sans-serif,13' background '#ffffff'
set output out
set title caption noenhanced
set datafile separator '\t'
set datafile missing '-'
set style data histogram
set style histogram errorbars gap 1.5 linewidth 1
set style fill solid 0.85 noborder
set boxwidth 0.9 relative
set errorbars 0.5 linecolor '#333333'
set border 3 linecolor '#555555'
set xtics nomirror scale 0 noenhanced
set ytics nomirror
set grid ytics linecolor '#dddddd'
set yrange [0:*]
set ylabel 'Gbit/s'
set key top right Left reverse noenhanced
set bmargin 4
set linetype 1 linecolor '#1a7f5a'
set linetype 2 linecolor '#d98324'
set linetype 3 linecolor '#4a6fa5'
set linetype 4 linecolor '#b8b8b8'
plot for [i = 0:columns - 1] data using 3 * i + 2:3 * i + 3:3 * i + 4:xticlabels(1) \
    title columnheader(3 * i + 2) linetype i + 1
