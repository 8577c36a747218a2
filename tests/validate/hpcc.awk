# SPDX-License-Identifier: BSD-2-Clause
# A config.txt of the HPCC authors' ns-3 model, and lines of the same form that change
# it, as the model section of a scenario.
#
#   awk -v window=52000 [-v own=random|all] -f hpcc.awk CONFIG [CHANGES]
#
# window: what HAS_WIN stands for on this topology, bandwidth times the longest round
# trip.  own: what is rocetune's and not ns-3's: random numbers; and the order of
# what happens at one time and whose turn it is in a host.  tiers: there are ways to choose.
{ value[$1] = $2; for (i = 3; i <= NF; i++) value[$1] = value[$1] " " $i }

function key(name, text) { print "  " name ": " text }
function last(text, words, count) { count = split(text, words, " "); return words[count] }
function rate(text) { sub(/Mb\/s/, "", text); return text "Mb/s" }

END {
	options = "truncated_serialisation"
	if (value["QBB_ENABLED"]) options = options ", pause_on_off"
	options = options (own == "all" ? ", pending_send_stays" : ", ns3_order")
	if (value["ACK_HIGH_PRIO"]) options = options ", ack_high_prio"
	if (value["CC_MODE"] == 0) options = options ", no_cc"
	else options = options ", ecn_echo_in_ack"
	if (value["ENABLE_QCN"] == 0) options = options ", no_ecn"
	if (value["VAR_WIN"]) options = options ", variable_window"
	if (!value["QBB_ENABLED"]) options = options ", no_pfc"
	print "model:"
	key("options", "[" options "]")
	key("wire", "hpcc")
	if (!own) key("random", "hpcc")
	if (tiers) key("ecmp", "hpcc")
	key("mtu", value["PACKET_PAYLOAD_SIZE"])
	key("ack_packets", value["L2_ACK_INTERVAL"])
	if (value["HAS_WIN"]) key("window", window "B")
	key("buffer", value["BUFFER_SIZE"] "MiB")
	key("buffer_alpha", "1/" 2 ^ value["PFC_SHIFT"])
	key("headroom", "37500B")
	key("reserve", "4096B")
	key("xon_offset", "3072B")
	key("pfc_reaction", "0ns")
	if (value["ENABLE_QCN"]) {
		key("kmin", last(value["KMIN_MAP"]) "KB")
		key("kmax", last(value["KMAX_MAP"]) "KB")
		key("pmax", 100 * last(value["PMAX_MAP"]) "%")
	}
	if (value["CC_MODE"]) {
		key("dcqcn", "hpcc-mlx-100g")
		key("alpha_interval", value["ALPHA_RESUME_INTERVAL"] "us")
		key("cut_interval", value["RATE_DECREASE_INTERVAL"] "us")
		key("timer", value["RP_TIMER"] "us")
		key("g", "1/" int(1 / value["EWMA_GAIN"] + 0.5))
		key("fast_recovery", value["FAST_RECOVERY_TIMES"])
		key("rai", rate(value["RATE_AI"]))
		key("rhai", rate(value["RATE_HAI"]))
		key("min_rate", rate(value["MIN_RATE"]))
	}
}
